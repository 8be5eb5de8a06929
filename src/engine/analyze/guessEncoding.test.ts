import assert from 'node:assert/strict';
import { guessEncoding } from './guessEncoding.ts';
import { toUtf8 } from './text.ts';

const TEXTS = [
  ['gbk', '// 重试失败的支付', '2f2f20d6d8cad4caa7b0dcb5c4d6a7b8b6'],
  ['big5', '// 重試失敗的支付', '2f2f20adabb8d5a5a2b1d1aabaa4e4a549'],
  ['euc-jp', '// 失敗した支払いを再試行する', '2f2f20bcbac7d4a4b7a4bfbbd9caa7a4a4a4f2bac6bbeeb9d4a4b9a4eb'],
  ['shift_jis', '// 失敗した支払いを再試行する', '2f2f208eb8947382b582bd8e7895a582a282f08dc48e8e8d7382b782e9'],
  ['euc-kr', '// 실패한 결제를 다시 시도한다', '2f2f20bdc7c6d0c7d120b0e1c1a6b8a620b4d9bdc320bdc3b5b5c7d1b4d9'],
  ['windows-1251', '// Повторяет неудачный платёж', '2f2f20cfeee2f2eef0ffe5f220ede5f3e4e0f7edfbe920efebe0f2b8e6'],
  ['koi8-r', '// Повторяет неудачный платёж', '2f2f20f0cfd7d4cfd2d1c5d420cec5d5c4c1deced9ca20d0ccc1d4a3d6'],
  ['ibm866', '// Повторяет неудачный платёж', '2f2f208faea2e2aee0efa5e220ada5e3a4a0e7adeba920afaba0e2f1a6'],
  ['windows-1251', 'Процедура ПовторитьПлатежHTTP()', 'cff0eef6e5e4f3f0e020cfeee2f2eef0e8f2fccfebe0f2e5e6485454502829'],
] as const;

const textOf = (bytes: Buffer): string => Buffer.from(toUtf8(bytes)!).toString();

describe('the guess of an encoding', () => {
  it('finds the one that gives frequent letters', () => {
    for (const [label, text, hex] of TEXTS) {
      const bytes = Buffer.from(hex, 'hex');
      assert.equal(guessEncoding(bytes), label, text);
      assert.equal(textOf(bytes), text);
    }
  });

  it('does so behind code, and with a damaged character', () => {
    const code = Buffer.from('export const lantern = 1;\n'.repeat(10_000));
    for (const [label, text, hex] of TEXTS) {
      const line = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from('\n')]);
      const bytes = Buffer.concat([code, line, line, line, Buffer.from([0xff, 0x0a])]);
      assert.equal(guessEncoding(bytes), label, text);
      assert.ok(textOf(bytes).includes(text));
    }
  });

  it('takes no frame of DOS for letters', () => {
    const frame = (text: string): Buffer =>
      Buffer.from(`c9${'cd'.repeat(9)}bb0aba20${text}20ba0ac8${'cd'.repeat(9)}bc0a`, 'hex');
    assert.equal(guessEncoding(frame(Buffer.from('Menu').toString('hex'))), undefined);
    // Выберите пункт главного меню
    assert.equal(guessEncoding(frame('82eba1a5e0a8e2a520afe3adaae220a3aba0a2adaea3ae20aca5adee')), 'ibm866');
  });

  it('leaves Windows-1252 as it is, with few and many letters beyond ASCII', () => {
    for (const text of [
      'é',
      '# à la carte',
      '© 2012 José Núñez',
      'const a = "×"; // 4×4, 20 °C, § 3, «non»',
      '// Gibt die Bücher zurück, wenn der Käufer nicht zahlt: größer als 5',
      "// Réessaie un paiement échoué, jusqu'à 3 fois",
      'ÅÁÀÃÂÄÉÈÊËÍÌÎÏÓÒÕÔÖÚÙÛÜÇÝÑ',
      'åáàãâäéèêëíìîïóòõôöúùüûçýñÅÁÀÃÂÄÉÈÊËÍÌÎÏÓÒÕÔÖÚÙÛÜÇÝÑ',
    ]) {
      const bytes = Buffer.from(text, 'latin1');
      assert.equal(guessEncoding(bytes), undefined, text);
      assert.equal(textOf(bytes), text);
    }
  });
});
