import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a certificate, its key, and the authority that signed it. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  /** The file of the authority's certificate, and its text. */
  readonly ca: string;
  readonly caText: string;
}

/** Makes an authority and certificates of it with `openssl`, which Linux, macOS and Git for Windows have. */
export class TestAuthority {
  readonly #folder: string;
  readonly ca: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.ca = join(folder, 'ca.pem');
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      this.#file('ca.key'),
    ];
    const constraint = ['-addext', 'basicConstraints=critical,CA:TRUE'];
    this.#openssl('req', '-x509', ...key, '-out', this.ca, '-days', '30', '-subj', '/CN=Test Authority', ...constraint);
  }

  /** A certificate for names as in `subjectAltName`, such as `DNS:search.example.com,IP:127.0.0.1`. */
  issue(names: string, days = 30): TestCertificate {
    const base = `certificate${++this.#count}`;
    const [key, request, cert, extensions] = ['key', 'csr', 'pem', 'cnf'].map((end) =>
      this.#file(`${base}.${end}`),
    ) as [string, string, string, string];
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    this.#openssl('req', '-new', ...made, '-out', request, '-subj', `/CN=${base}`);
    const signed = ['-CA', this.ca, '-CAkey', this.#file('ca.key'), '-CAcreateserial', '-extfile', extensions];
    this.#openssl('x509', '-req', '-in', request, ...signed, '-out', cert, '-days', String(days));
    return { cert, key, ca: this.ca, caText: readFileSync(this.ca, 'utf8') };
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}
