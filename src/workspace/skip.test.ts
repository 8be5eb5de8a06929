import assert from 'node:assert/strict';
import { isSecretContent, isSecretName } from './skip.ts';

describe('secrets', () => {
  it('are known by name', () => {
    for (const name of [
      '.env',
      '.env.production',
      'server.pem',
      'id_ed25519',
      '.netrc',
      'credentials',
      'secrets.yml',
      'a.key',
    ]) {
      assert.equal(isSecretName(name), true, name);
    }
  });

  it('are not confused with templates, public keys and code about secrets', () => {
    for (const name of [
      '.env.example',
      'env.ts',
      'id_rsa.pub',
      'secrets.ts',
      'credentials.go',
      'keyboard.ts',
      'environment',
    ]) {
      assert.equal(isSecretName(name), false, name);
    }
  });

  it('are known by content', () => {
    const kinds = [
      'PRIVATE KEY',
      'RSA PRIVATE KEY',
      'OPENSSH PRIVATE KEY',
      'ENCRYPTED PRIVATE KEY',
      'PGP PRIVATE KEY BLOCK',
    ];
    for (const kind of kinds) assert.equal(isSecretContent(Buffer.from(`-----BEGIN ${kind}-----\nMII`)), true, kind);
    assert.equal(isSecretContent(Buffer.from('-----BEGIN CERTIFICATE-----')), false);
    assert.equal(isSecretContent(Buffer.from('const header = "-----BEGIN PRIVATE KEY-----";')), false);
  });
});
