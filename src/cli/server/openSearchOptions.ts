import { readFileSync } from 'node:fs';
import { SextantError, describeError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { AwsAccess, AwsCredentials, ClusterOptions } from '../../context/opensearch/cluster.ts';
import type { ContextOptions } from '../../server/context/service.ts';

/** The options of `sextant serve` for a store on OpenSearch. */
export interface OpenSearchOptions {
  readonly store?: 'folder' | 'opensearch';
  readonly opensearchUrl?: readonly string[];
  readonly opensearchPrefix?: string;
  readonly opensearchCa?: string;
  /** The region of a domain of Amazon OpenSearch Service. */
  readonly opensearchAws?: string;
  readonly opensearchCredentials?: string;
  readonly opensearchShards?: number;
  readonly opensearchReplicas?: number;
}

interface Credentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly bearer?: string | undefined;
  readonly aws?: AwsAccess | undefined;
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** How to open the store that the options name; `undefined` for the one in the state folder. Throws `InvalidOption`. */
export function openSearchOf(options: OpenSearchOptions, env: NodeJS.ProcessEnv): ContextOptions['openStore'] {
  if (options.store !== 'opensearch') return undefined;
  const cluster = clusterOf(options, env);
  const { opensearchPrefix: prefix, opensearchShards: shards, opensearchReplicas: replicas } = options;
  if (prefix !== undefined && !/^[a-z0-9][a-z0-9_-]{0,100}$/.test(prefix))
    throw invalid('--opensearch-prefix takes small letters, digits, - and _');
  return async (edges) => {
    const { OpenSearchStore } = await import('../../context/opensearch/openSearchStore.ts');
    return OpenSearchStore.open({ cluster, prefix, shards, replicas, ...edges });
  };
}

/** Where the cluster is, and the credentials: those of the file, or of the environment. Throws `InvalidOption`. */
export function clusterOf(options: OpenSearchOptions, env: NodeJS.ProcessEnv): ClusterOptions {
  const urls = options.opensearchUrl ?? env.SEXTANT_OPENSEARCH_URL?.split(',') ?? [];
  if (urls.length === 0) throw invalid('--store opensearch needs --opensearch-url or SEXTANT_OPENSEARCH_URL');
  const { opensearchCa: ca } = options;
  const credentials = credentialsOf(options, env);
  for (const url of urls) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) throw invalid(`${url} is no URL of http or https`);
    if (parsed.username !== '' || parsed.password !== '')
      throw invalid('an address of OpenSearch contains a password, which ps shows: use the file or the environment');
    const isSecret = Object.values(credentials).some((one) => one !== undefined);
    if (isSecret && parsed.protocol === 'http:' && !LOOPBACK.test(parsed.hostname))
      throw invalid(`${url} would send the credentials unencrypted: use https`);
  }
  return { urls, ...credentials, ca: ca === undefined ? undefined : readText(ca, '--opensearch-ca') };
}

function credentialsOf(
  { opensearchCredentials: file, opensearchAws: region }: OpenSearchOptions,
  env: NodeJS.ProcessEnv,
): Credentials {
  if (region === undefined) return file === undefined ? fromEnvironment(env) : readCredentials(file);
  if (file !== undefined) {
    readAwsCredentials(file);
    return { aws: { region, credentials: () => readAwsCredentials(file) } };
  }
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (!accessKeyId || !secretAccessKey)
    throw invalid('--opensearch-aws needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or --opensearch-credentials');
  return { aws: { region, credentials: () => ({ accessKeyId, secretAccessKey, sessionToken }) } };
}

function fromEnvironment(env: NodeJS.ProcessEnv): Credentials {
  const { SEXTANT_OPENSEARCH_USERNAME: username, SEXTANT_OPENSEARCH_PASSWORD: password } = env;
  return { username, password, bearer: env.SEXTANT_OPENSEARCH_TOKEN };
}

/** Reads `{"username","password"}` or `{"bearer"}`. */
function readCredentials(file: string): Credentials {
  const { username, password, bearer } = readJson(file);
  if (isText(bearer)) return { bearer };
  if (isText(username) && isText(password)) return { username, password };
  throw invalid(`${file} needs {"username": "…", "password": "…"} or {"bearer": "…"}`);
}

/** Reads what `aws configure export-credentials` prints. */
function readAwsCredentials(file: string): AwsCredentials {
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expires,
  } = readJson(file);
  const expiration = new Date(isText(expires) ? expires : NaN);
  const isTemporary = expires !== undefined;
  if (!isText(accessKeyId) || !isText(secretAccessKey) || (isTemporary && Number.isNaN(expiration.getTime())))
    throw invalid(`${file} is not what "aws configure export-credentials" prints`);
  return {
    accessKeyId,
    secretAccessKey,
    ...(isText(sessionToken) && { sessionToken }),
    ...(isTemporary && { expiration }),
  };
}

function readJson(file: string): Record<string, unknown> {
  const text = readText(file, '--opensearch-credentials');
  try {
    return (parseJson(text) ?? {}) as Record<string, unknown>;
  } catch {
    // The cause would quote the file.
    throw invalid(`${file} is not JSON`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readText(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SextantError('InvalidOption', `${option} ${file}: ${describeError(error)}.`, { cause: error });
  }
}

function invalid(what: string): SextantError {
  return new SextantError('InvalidOption', `${what}.`);
}
