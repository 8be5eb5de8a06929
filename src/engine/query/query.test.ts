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

  it('leaves out how a question asks for a decision', () => {
    const file = parseQuery('is a file binary').words;
    for (const asked of [
      'How does it decide whether a file is binary?',
      'Where is determined whether a file is binary?',
      'who decides whether a file is binary?',
    ])
      assert.deepEqual(parseQuery(asked).words, file, asked);
    assert.deepEqual(parseQuery('which rule decides when a cache is full?').words, ['rule', 'cach', 'full']);
    assert.deepEqual(parseQuery('How does the parser determine what follows?').words, ['parser', 'follow']);
  });

  it('keeps the words of a decision where they are the subject', () => {
    assert.deepEqual(parseQuery('decide whether').words, ['decid', 'whether']);
    assert.deepEqual(parseQuery('How does it decide whether?').words, ['decid', 'whether']);
    assert.deepEqual(parseQuery('what does decide_whether do').words, ['decid', 'whether']);
    assert.deepEqual(parseQuery('how are known hosts read').words, ['known', 'host', 'read']);
  });
});
