/** A list of numbers from 0 to 65535, at two bytes each. */
type Growable = { push(value: number): void; at(index: number): number; values(): Uint16Array };

/** An empty list, which doubles its size when it is full. */
export function growable(): Growable {
  let room = new Uint16Array(1024);
  let count = 0;
  return {
    push(value) {
      if (count === room.length) {
        const larger = new Uint16Array(2 * room.length);
        larger.set(room);
        room = larger;
      }
      room[count++] = value;
    },
    at: (index) => room[index] as number,
    values: () => room.subarray(0, count),
  };
}
