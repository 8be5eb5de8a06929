import assert from 'node:assert/strict';
import { until } from '../../test/support/until.ts';
import { ChangeQueue } from './changeQueue.ts';

describe('ChangeQueue', () => {
  it('delivers a burst of paths at once, each path once', async () => {
    const delivered: (readonly string[])[] = [];
    const queue = new ChangeQueue((paths) => delivered.push(paths));
    for (const path of ['a', 'b', 'a']) queue.add(path);
    await until('the paths are delivered', () => delivered.length > 0);
    assert.deepEqual(delivered, [['a', 'b']]);
  });

  it('delivers paths while further events never pause', async () => {
    let delivered = 0;
    const queue = new ChangeQueue(() => delivered++);
    await until('paths are delivered', () => {
      queue.add('a');
      return delivered > 0;
    });
    queue.dispose();
  });

  it('delivers nothing once it is disposed', async () => {
    const delivered: (readonly string[])[] = [];
    const disposed = new ChangeQueue((paths) => delivered.push(paths));
    const other = new ChangeQueue((paths) => delivered.push(paths));
    disposed.add('a');
    disposed.dispose();
    other.add('b');
    await until('the other queue delivers', () => delivered.length > 0);
    assert.deepEqual(delivered, [['b']]);
  });
});
