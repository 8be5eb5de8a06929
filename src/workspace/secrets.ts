/**
 * A well-known form of keys or tokens. Each has a unique beginning or context, and a length: a rule that takes ordinary code
 * for a secret hides it from its owner.
 */
interface SecretForm {
  readonly name: string;
  /** Its group `body` must look random. */
  readonly pattern: RegExp;
}

/** Bytes at the top of a file in which secrets are searched: files of secrets are short. */
const HEAD_BYTES = 64 << 10;
/** A private key further down belongs to a test or an example. */
const KEY_WITHIN = 4096;

const FORMS: readonly SecretForm[] = [
  { name: 'a GitHub token', pattern: /\bgh[pousr]_(?<body>[A-Za-z0-9]{36})\b/ },
  { name: 'a GitHub token', pattern: /\bgithub_pat_(?<body>\w{82})\b/ },
  { name: 'a GitLab token', pattern: /\bglpat-(?<body>[\w-]{20,})/ },
  { name: 'a Slack token', pattern: /\bxox[abeoprs]-(?<body>\d{8,}-[\w-]{16,})/ },
  { name: 'a Stripe key', pattern: /\b[rs]k_live_(?<body>[A-Za-z0-9]{24,})/ },
  // Long names have no digit; one key in 400 has none.
  { name: 'a Google API key', pattern: /\bAIza(?=[\w-]*\d)(?<body>[\w-]{35})(?![\w-])/ },
  { name: 'an npm token', pattern: /\bnpm_(?=\w*\d)(?<body>[A-Za-z0-9]{36})\b/ },
  { name: 'a PyPI token', pattern: /\bpypi-AgEIcHlwaS5vcmc(?<body>[\w-]{50,})/ },
  { name: 'a SendGrid key', pattern: /\bSG\.(?<body>[\w-]{22}\.[\w-]{43})(?![\w-])/ },
  { name: 'an Anthropic key', pattern: /\bsk-ant-(?<body>[\w-]{80,})/ },
  { name: 'an OpenAI key', pattern: /\bsk-(?<body>[\w-]{20,}T3BlbkFJ[\w-]{20,})/ },
  { name: 'a Hugging Face token', pattern: /\bhf_(?<body>[A-Za-z]{34})\b/ },
  { name: 'a DigitalOcean token', pattern: /\bdo[opr]_v1_(?<body>[a-f0-9]{64})\b/ },
  { name: 'an age key', pattern: /\bAGE-SECRET-KEY-1(?<body>[0-9A-Z]{58})\b/ },
  {
    name: 'an AWS secret key',
    pattern: /aws_secret_access_key["']?\s*[:=]\s*["']?(?<body>[A-Za-z0-9/+]{40})(?![\w/+=])/i,
  },
  { name: 'a Google service account', pattern: /"private_key":\s*"-----BEGIN PRIVATE KEY-----\\n(?<body>[\w/+]{40})/ },
];
/**
 * A part of each form, so that most files need one search. No alternative is short: with one of three characters the search
 * takes four times as long, 2 s for 1 GB.
 */
const HINT =
  /PRIVATE KEY|secret_access_key|SECRET_ACCESS_KEY|private_key"|github_pat_|gh[pousr]_[A-Za-z0-9]{36}|glpat-[\w-]{20}|xox[abeoprs]-\d{8}|k_live_[A-Za-z0-9]{24}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|pypi-Ag|SG\.[\w-]{22}\.|sk-ant-|T3BlbkFJ|hf_[A-Za-z]{34}|do[opr]_v1_|AGE-SECRET|PuTTY-User/;

const PLACEHOLDER = /example|placeholder|x{6}|0{8}|1234567|abcdefg|your|dummy|fake|redacted/i;

/** Name of the secret that a file holds, or `undefined`. */
export function findSecret(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, HEAD_BYTES)).toString('latin1');
  if (!HINT.test(head)) return undefined;
  if (isPrivateKey(head.slice(0, KEY_WITHIN))) return 'a private key';
  for (const { name, pattern } of FORMS) {
    const body = pattern.exec(head)?.groups?.body;
    if (body !== undefined && looksRandom(body)) return name;
  }
  return undefined;
}

/** A key is on lines of its own, at the top or with a second line of data; text about keys is not. */
function isPrivateKey(head: string): boolean {
  if (/^PuTTY-User-Key-File-\d: /.test(head)) return true;
  const armour = /^[ \t\uFEFF\u00EF\u00BB\u00BF]*-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[ \t]*\r?$/gm;
  for (const { index, 0: line } of head.matchAll(armour)) {
    if (head.slice(0, index).trim() === '') return true;
    const data = head
      .slice(index + line.length)
      .split('\n')
      .map((one) => one.trim())
      // Headers, as in `Proc-Type: 4,ENCRYPTED`.
      .find((one) => one !== '' && !one.includes(':'));
    if (data !== undefined && /^[A-Za-z0-9+/=]{20,}$/.test(data)) return true;
  }
  return false;
}

/** Placeholders of examples are not secrets. */
function looksRandom(body: string): boolean {
  return new Set(body).size >= 10 && !PLACEHOLDER.test(body);
}
