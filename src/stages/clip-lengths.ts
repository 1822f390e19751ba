/** A clip has at least this length, or that of its take: time enough to see what it shows. In seconds. */
export const READABLE_S = 2;
/** A clip has at least this length, even across cuts: less is a flash. */
export const VISIBLE_S = 0.5;
/** A clip grows to this length where the film is too short; a longer one is a take that nobody edited. */
export const LONG_S = 6;
/** A film may be off the length asked for by this much. */
export const TOLERANCE_S = 0.5;
