import assert from 'node:assert/strict';
import { searchFiles } from '../../../../test/support/searchFiles.ts';
import { temporaryFolder } from '../../../../test/support/temporary.ts';
import { parsePackage } from './manifests.ts';

describe('a search for a package', () => {
  const folder = temporaryFolder();

  async function first(files: Readonly<Record<string, string>>, query: string): Promise<string | undefined> {
    const [hit] = await searchFiles(folder(), files, query);
    return hit?.path;
  }

  const uses = 'use harbour_lights::quay; // harbour-lights, @harbour/lights, harbour lights\n'.repeat(9);
  const code = { 'harbour/lights/quay.rs': uses, 'harbour/lights/README.md': '# Quay\n\n' + uses };

  it('puts the manifest first that states its name', async () => {
    const manifests = {
      'packages/lights/package.json': '{\n  "version": "1.0.0",\n  "name": "harbour-lights"\n}\n',
      'crates/lights/Cargo.toml': '[package]\nname = "harbour-lights"\n',
      'lights/pyproject.toml': '[project]\nname = "harbour_lights"\n',
      'lights/setup.py': "NAME = 'harbour-lights'\nsetup(name=NAME)\n",
      'lights/pubspec.yaml': 'name: harbour_lights\n',
      'lights/mix.exs': 'def project do\n  [app: :harbour_lights]\nend\n',
      'lights/Package.swift': 'let package = Package(\n  name: "harbour-lights")\n',
      'lights/hl.gemspec': 'Gem::Specification.new do |spec|\n  spec.name = "harbour-lights"\nend\n',
      'lights/CMakeLists.txt': 'project(harbour-lights VERSION 1)\n',
    };
    for (const [path, text] of Object.entries(manifests)) {
      const files = { ...code, [path]: text };
      for (const query of [
        'harbour-lights',
        'harbour_lights',
        'package harbour-lights',
        "the quay's crate harbour-lights",
      ])
        assert.equal(await first(files, query), path, query);
    }
  });

  it('knows scopes, groups, versions and extras', async () => {
    const files = {
      ...code,
      'packages/lights/package.json': '{ "name": "@harbour/lights", "dependencies": { "quay-side": "1" } }\n',
      'packages/quay/package.json': '{ "name": "quay-side", "dependencies": { "@harbour/lights": "1" } }\n',
      'go.mod': 'module example.com/harbour/lights\n\ngo 1.22\n',
    };
    assert.equal(await first(files, '@harbour/lights'), 'packages/lights/package.json');
    assert.equal(await first(files, '@harbour/lights@1.2.0'), 'packages/lights/package.json');
    assert.equal(await first(files, 'quay-side[fog]'), 'packages/quay/package.json');
    assert.equal(await first(files, 'example.com/harbour/lights'), 'go.mod');
  });

  it('knows files that build what their folder or they themselves are named', async () => {
    const files = {
      ...code,
      'deep/harbour-lights/build.gradle.kts': '/* build */\nplugins { id("harbour") }\n',
      'src/Harbour.Lights/Harbour.Lights.csproj': '<Project Sdk="Microsoft.NET.Sdk">\n</Project>\n',
      'src/Quay/Quay.csproj': '<Project><ProjectReference Include="Harbour.Lights.csproj" /></Project>\n'.repeat(9),
    };
    assert.equal(await first(files, ':deep:harbour-lights'), 'deep/harbour-lights/build.gradle.kts');
    assert.equal(await first(files, 'io.harbour:harbour-lights:1.0'), 'deep/harbour-lights/build.gradle.kts');
    assert.equal(await first(files, 'Harbour.Lights project'), 'src/Harbour.Lights/Harbour.Lights.csproj');
  });

  it('takes the name of a Maven module before those of its parent and of modules that depend on it', async () => {
    const dependency = '<dependency>\n<artifactId>harbour-lights</artifactId>\n</dependency>\n';
    const files = {
      ...code,
      'pom.xml': `<project>\n<artifactId>harbour</artifactId>\n${dependency}</project>\n`,
      'quay/pom.xml': `<project>\n<parent>\n<artifactId>harbour</artifactId>\n</parent>\n<artifactId>quay-side</artifactId>\n${dependency}`,
      'z/pom.xml':
        '<project>\n<parent>\n<artifactId>harbour</artifactId>\n</parent>\n<artifactId>harbour-lights</artifactId>\n',
    };
    assert.equal(await first(files, 'harbour-lights'), 'z/pom.xml');
    assert.equal(await first(files, 'quay-side'), 'quay/pom.xml');
  });

  it('puts the definition first of a name that has one', async () => {
    const files = { 'Cargo.toml': '[package]\nname = "harbour_lights"\n', 'z.py': 'def harbour_lights():\n    pass\n' };
    assert.equal(await first(files, 'harbour_lights'), 'z.py');
    assert.equal(await first(files, 'crate harbour_lights'), 'Cargo.toml');
  });

  it('recognizes no sentence, code or plain word', () => {
    const others = [
      'lights',
      'project lights',
      'where is harbour-lights',
      'a-b c-d',
      'f(x-y)',
      'x',
      '--',
      '',
      '@',
      '1.2',
    ];
    for (const text of others) assert.equal(parsePackage(text), undefined, text);
    assert.deepEqual(parsePackage('crate lights'), { name: 'lights', isSure: true });
    assert.deepEqual(parsePackage('harbour_lights'), { name: 'harbour_lights', isSure: false });
  });
});

describe('a question for a version', () => {
  const folder = temporaryFolder();
  const code = {
    'version/minimum.ts':
      'function minimumVersion(node, go, python) {} // version that is required, needed and used\n'.repeat(9),
    'docs/version.md': '# Version\n\nThe minimum version that is required.\n'.repeat(5),
  };

  async function first(files: Readonly<Record<string, string>>, query: string): Promise<string> {
    const [hit] = await searchFiles(folder(), { ...code, ...files }, query);
    return `${hit?.path}:${hit?.startLine}`;
  }

  it('shows the manifest that states it', async () => {
    const asked = {
      'minimum node version': ['package.json', '{\n  "name": "quay",\n  "engines": { "node": ">=20" }\n}\n'],
      'which go version is needed?': ['api/go.mod', 'module example.com/api // go and version\n\ngo 1.26.0\n'],
      'what PHP version do I need for development': ['composer.json', '{ "require": { "php": "^8.1.0" } }\n'],
      'what python version is required': ['setup.py', "setup(name='quay',\n  python_requires='>=3.10')\n"],
      'minimum python version': ['pyproject.toml', '[project]\nrequires-python = ">=3.10"\n'],
      'minimum rust version': ['Cargo.toml', '[package]\nversion = "1.0.0"\nrust-version = "1.96"\n'],
      'which kotlin version is used': ['gradle/libs.versions.toml', '[versions]\nkotlin = "2.3.0"\n'],
      'what version of JDK is required': ['build.gradle.kts', 'kotlin {\n  jvmToolchain(21)\n}\n'],
      'minimum java version': [
        'pom.xml',
        '<project><properties><java.version>21</java.version></properties></project>\n',
      ],
      'ruby version': ['Gemfile', "source 'https://rubygems.org'\nruby '3.4.1'\n"],
      'which .NET SDK version is required': ['global.json', '{\n  "sdk": {\n    "version": "10.0.100"\n  }\n}\n'],
      'kombu version': ['requirements/default.txt', 'vine>=5.1\nkombu>=5.6.0\n'],
      'version of Aspire.Hosting': [
        'Directory.Packages.props',
        '<PackageVersion Include="Aspire.Hosting" Version="9.5" />\n',
      ],
      'which c++ standard is required': ['CMakeLists.txt', 'project(quay)\nset(CMAKE_CXX_STANDARD 17)\n'],
    } as const;
    for (const [query, [path, text]] of Object.entries(asked))
      assert.match(await first({ [path]: text }, query), new RegExp(`^${path}:`), query);
  });

  it('prefers outer folders, and needs a number', async () => {
    const inner = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`packages/quay${i}/package.json`, '{ "engines": { "node": ">=18" } }\n']),
    );
    const files = { ...inner, 'package.json': '{ "engines": { "node": ">=20" } }\n' };
    assert.equal(await first(files, 'minimum node version'), 'package.json:1');
    const marked = { 'setup.cfg': "fog>=0.2;python_version<'3.9'\n", 'setup.py': "setup(python_requires='>=3.10')\n" };
    assert.equal(await first(marked, 'which python version is required'), 'setup.py:1');
    const scripts = { 'package.json': '{ "scripts": { "node": "node version.js", "minimum": "version" } }\n' };
    assert.doesNotMatch(await first(scripts, 'minimum node version'), /^package/);
    assert.doesNotMatch(await first({ 'go.mod': 'module cargo 1.2\n' }, 'where is the go version compared'), /^go.mod/);
  });
});
