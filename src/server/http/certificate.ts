import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:https';
import { describeError, SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** Files in PEM: the certificate with those that lead to its authority, and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly leaf: X509Certificate;
}

const CHECK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Tools renew a certificate before its last 30 days, or a third of a short life. */
const SOON_MS = 7 * DAY_MS;

/** The certificate of a server. It is read again when a renewal replaces its files. */
export class Certificate {
  readonly #files: CertificateFiles;
  readonly #logger: Logger;
  #pair: Pair;
  #seen: string;

  /** Throws `InvalidOption`. */
  constructor(files: CertificateFiles, logger: Logger) {
    this.#files = files;
    this.#logger = logger;
    this.#seen = this.#versions();
    this.#pair = readPair(files);
    this.#warnOfEnd();
  }

  get context(): { readonly cert: string; readonly key: string } {
    const { cert, key } = this.#pair;
    return { cert, key };
  }

  /** Names and addresses that the certificate is for, without patterns. */
  get names(): string[] {
    const names = this.#pair.leaf.subjectAltName?.split(', ') ?? [];
    return names.flatMap((one) => /^(?:DNS|IP Address):([^*"]+)$/.exec(one)?.slice(1) ?? []);
  }

  /** Gives a server each new certificate until it closes. */
  renew(server: Server, everyMs = CHECK_MS): void {
    const timer = setInterval(() => {
      if (this.#isNew()) server.setSecureContext(this.context);
    }, everyMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  #isNew(): boolean {
    const seen = this.#versions();
    if (seen === this.#seen) return false;
    this.#seen = seen;
    try {
      this.#pair = readPair(this.#files);
    } catch (error) {
      // Between the two files of a renewal, they do not fit.
      this.#logger.warn(`${describeError(error)} The certificate read before stays in use.`);
      return false;
    }
    this.#logger.info(
      `The certificate in ${this.#files.cert} was read again. It is valid until ${this.#pair.leaf.validTo}.`,
    );
    this.#warnOfEnd();
    return true;
  }

  #warnOfEnd(): void {
    const { validTo } = this.#pair.leaf;
    const left = Date.parse(validTo) - Date.now();
    if (left <= 0)
      this.#logger.warn(`The certificate in ${this.#files.cert} expired on ${validTo}: clients refuse it.`);
    else if (left < SOON_MS) this.#logger.warn(`The certificate in ${this.#files.cert} expires on ${validTo}.`);
  }

  #versions(): string {
    return [this.#files.cert, this.#files.key]
      .map((file) => {
        const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
        return `${mtimeMs} ${size} ${ino}`;
      })
      .join();
  }
}

function readPair(files: CertificateFiles): Pair {
  const [cert, key] = [read(files.cert, '--tls-cert'), read(files.key, '--tls-key')];
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(cert);
  } catch (error) {
    throw invalid(`--tls-cert ${files.cert} has no certificate in PEM`, error);
  }
  let isPair: boolean;
  try {
    isPair = leaf.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw invalid(`--tls-key ${files.key} has no private key in PEM, or one with a passphrase`, error);
  }
  if (!isPair) throw invalid(`The key in ${files.key} is not that of the certificate in ${files.cert}`);
  return { cert, key, leaf };
}

function read(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalid(`${option} ${file}: ${describeError(error)}`, error);
  }
}

function invalid(what: string, cause?: unknown): SextantError {
  return new SextantError('InvalidOption', `${what}.`, { cause });
}
