import assert from 'node:assert/strict';
import { searchFiles } from '../../../test/support/searchFiles.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
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
