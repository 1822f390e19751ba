import fc from 'fast-check';

/** Property tests draw the same cases in every run; `FC_SEED=<number>` searches elsewhere, `FC_SEED=random` anywhere. */
const asked = process.env['FC_SEED'];
if (asked !== 'random') fc.configureGlobal({ seed: asked === undefined ? 20170721 : Number(asked) });
