/** The stages of a run, in order. */
export type Stage = 'draw' | 'probe' | 'upload' | 'analyse' | 'select' | 'render' | 'concept' | 'report';

/** Events of a run, for the progress bar, `--json`, the studio and job logs. */
export type RunEvent =
  | { readonly type: 'run-started'; readonly inputs: number }
  | { readonly type: 'stage-started'; readonly stage: Stage; readonly total: number }
  /** `fraction` of the whole stage in [0, 1], `ofItem` of that item if known; `frames` read so far. */
  | {
      readonly type: 'progress';
      readonly stage: Stage;
      readonly fraction: number;
      readonly item: string | null;
      readonly ofItem?: number;
      readonly frames: number;
    }
  | { readonly type: 'item-done'; readonly stage: Stage; readonly item: string; readonly cached: boolean }
  | { readonly type: 'skipped'; readonly item: string; readonly code: string; readonly message: string }
  | { readonly type: 'note'; readonly code: string; readonly message: string }
  | { readonly type: 'stage-done'; readonly stage: Stage }
  | { readonly type: 'wrote'; readonly path: string }
  | { readonly type: 'run-done'; readonly done: number; readonly skipped: number };

/** Receives the events of a run. It is called synchronously and must not take long. */
export type Listener = (event: RunEvent) => void;
