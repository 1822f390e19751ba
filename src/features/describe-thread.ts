import { parentPort } from 'node:worker_threads';

import { describePicture, type RgbPicture } from './describe.js';

/** A thread of `openShallow`: describes the pictures it is sent, one at a time, in the order they come. */
parentPort!.on('message', (picture: RgbPicture) => {
  const vector = describePicture(picture);
  parentPort!.postMessage(vector, [vector.buffer as ArrayBuffer]);
});
