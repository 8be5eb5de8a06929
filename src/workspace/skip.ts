/** Why a file is not in the index. `detail` names the rule, for a person who wonders. */
export interface Skip {
  readonly reason: SkipReason;
  readonly detail?: string;
}

export type SkipReason =
  | 'excluded' // by the setting
  | 'ignored' // by an ignore file
  | 'tooLarge'
  | 'binary'
  | 'secret'
  | 'link'
  | 'special' // a socket, a pipe, a device
  | 'unreadable';

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:\..+)?$/i,
  /\.(?:pem|key|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|asc)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^\.?(?:netrc|pgpass|htpasswd|git-credentials|dockercfg|s3cfg|vault-token)$/i,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/i,
];
/** Templates that are checked in on purpose. */
const NOT_SECRET = /(?:\.|-|_)(?:example|sample|template|dist|defaults?|schema|test)(?:\.|$)/i;

/** Whether a file's name says that it holds keys or passwords. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.some((pattern) => pattern.test(name)) && !NOT_SECRET.test(name);
}

/** Whether a file is a private key, whatever its name. */
export function isSecretContent(content: Uint8Array): boolean {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, 200)).toString('latin1');
  return /^\s*-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----/.test(head);
}
