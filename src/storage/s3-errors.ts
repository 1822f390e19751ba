import { StoreError } from '../base/index.js';

export function nullIfAbsent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

export function emptyIfOutside(error: unknown): { bytes: Buffer; sha256: undefined } {
  if (isOutside(error)) return { bytes: Buffer.alloc(0), sha256: undefined };
  throw error;
}

/** The parts of an SDK error that are used here. */
type AwsError = { name?: string; code?: string; message?: string; $metadata?: { httpStatusCode?: number } };

const statusOf = (error: unknown): number | undefined => (error as AwsError).$metadata?.httpStatusCode;

/** The object does not exist, but its bucket does. */
function isAbsent(error: unknown): boolean {
  const { name } = error as AwsError;
  return name === 'NoSuchKey' || name === 'NotFound';
}

/** The range begins after the end of the object. */
export function isOutside(error: unknown): boolean {
  return (error as AwsError).name === 'InvalidRange' || statusOf(error) === 416;
}

/** The object was replaced since its first part was read. */
export function isReplaced(error: unknown): boolean {
  return statusOf(error) === 412;
}

const REGION = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  '301',
]);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'TimeoutError',
]);

/**
 * Explains an error of S3. The SDK's own error is dropped: it may quote keys, signatures and addresses with passwords.
 */
export function explainS3(error: unknown, { bucket, url }: { bucket: string; url: string }): StoreError {
  const { name = 'Error', code = '', message = '' } = error as AwsError;
  const status = statusOf(error);
  const said = `${name}${status === undefined ? '' : ` ${status}`}`;
  const withCause = { cause: new Error(said) };
  const emit = (kind: string, sentence: string): StoreError => new StoreError(kind, sentence, withCause);
  if (name === 'NoSuchBucket') {
    return emit('bucket-missing', `There is no bucket "${bucket}". Make it first, or check the name in --store.`);
  }
  if (REGION.has(name) || status === 301) {
    return emit(
      'region-wrong',
      `The bucket "${bucket}" is in another region. Set AWS_REGION to the region it was made in.`,
    );
  }
  if (message.startsWith('Region is missing')) {
    return emit('region-missing', `No region is set for ${url}. Set AWS_REGION to the region the bucket was made in.`);
  }
  if (name === 'CredentialsProviderError') {
    return emit(
      'store-denied',
      `No keys were found for ${url}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or give this machine a role.`,
    );
  }
  if (name === 'RequestTimeTooSkewed') {
    return emit('clock-wrong', `The store refused the request: this machine’s clock is wrong. Set it and run again.`);
  }
  if (status === 401 || status === 403) {
    return emit(
      'store-denied',
      `Access to ${url} was denied (${said}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or this machine’s role; they must be allowed to list, read, write and delete there.`,
    );
  }
  if (status === 429 || (status !== undefined && status >= 500)) {
    return emit('store-busy', `${url} kept answering “${said}”. Try again later, or with fewer workers.`);
  }
  if (UNREACHABLE.has(code) || UNREACHABLE.has(name) || /ended early|aborted|socket hang up/.test(message)) {
    return emit(
      'store-unreachable',
      `Could not connect to ${url} at ${endpointHost()} (${code || name}). Check the network, AWS_ENDPOINT_URL_S3 and AWS_REGION.`,
    );
  }
  return emit(
    'store-failed',
    `${url} did not do what was asked (${said}). Try again; if it stays, ask who runs the store.`,
  );
}

/** Host and port only: an address may contain a password. */
function endpointHost(): string {
  const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
  return endpoint && URL.canParse(endpoint) ? new URL(endpoint).host : 'Amazon S3';
}
