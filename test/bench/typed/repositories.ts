/** A repository of the benchmark of typed queries, and the package that brings it. */
export interface TypedRepository {
  readonly name: string;
  readonly language: string;
  /** Where it is: a package of the lockfile, a source package of Debian, or a package of Debian that holds sources. */
  readonly from: 'lockfile' | 'debian-source' | 'debian-package';
  readonly package: string;
  /** The folder within the package; by default all of it. */
  readonly within?: string;
}

/**
 * Repositories that neither weights nor rules of ranking were fitted to: none is in the public part of the benchmark of
 * quality. Each language has stack frames of its own.
 */
export const REPOSITORIES: readonly TypedRepository[] = [
  { name: 'undici', language: 'JavaScript', from: 'lockfile', package: 'undici' },
  { name: 'eslint', language: 'JavaScript', from: 'lockfile', package: 'eslint' },
  // Its compiled copies beside the sources would leave no line that occurs once.
  { name: 'msal-browser', language: 'TypeScript', from: 'lockfile', package: '@azure/msal-browser', within: 'src' },
  {
    name: 'scrapy',
    language: 'Python',
    from: 'debian-package',
    package: 'python3-scrapy',
    within: 'usr/lib/python3/dist-packages',
  },
  {
    name: 'dns',
    language: 'Go',
    from: 'debian-package',
    package: 'golang-github-miekg-dns-dev',
    within: 'usr/share/gocode/src/github.com/miekg/dns',
  },
  {
    name: 'rustls',
    language: 'Rust',
    from: 'debian-package',
    package: 'librust-rustls-dev',
    within: 'usr/share/cargo/registry',
  },
  { name: 'zookeeper', language: 'Java', from: 'debian-source', package: 'zookeeper' },
  { name: 'lighttpd', language: 'C', from: 'debian-source', package: 'lighttpd' },
  { name: 'nunit', language: 'C#', from: 'debian-source', package: 'nunit' },
  { name: 'sequel', language: 'Ruby', from: 'debian-package', package: 'ruby-sequel', within: 'usr' },
  { name: 'composer', language: 'PHP', from: 'debian-source', package: 'composer' },
  { name: 'mojolicious', language: 'Perl', from: 'debian-source', package: 'libmojolicious-perl' },
];
