/** The runtime's package carries no types of its own; they are those of its common part. */
declare module 'onnxruntime-node' {
  export * from 'onnxruntime-common';
}
