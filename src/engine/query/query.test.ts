import assert from 'node:assert/strict';
import { parseQuery } from './query.ts';

describe('parseQuery', () => {
  it('takes a short text without spaces for a name, in any script', () => {
    for (const name of ['handleFault', 'empty?', '计算总价', 'ユーザー一覧', 'größeÄndern', 'НастройкаСервера'])
      assert.equal(parseQuery(name).symbol, name);
  });

  it('takes a sentence in a script without spaces for words', () => {
    for (const text of [
      '登录在哪里？',
      '登录在哪里?',
      '获取锁，超时抛出异常',
      'ログイン処理はどこで行われますか',
      'nacos服务端如何处理心跳',
    ]) {
      assert.equal(parseQuery(text).symbol, undefined, text);
      assert.ok(parseQuery(text).words.length > 3, text);
    }
  });
});
