import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { FileSet } from './fileSet.ts';

const path = fc.constantFrom('a', 'b', 'c', 'd', 'e');
/** Few names, so that files share and reuse them. */
const name = fc.constantFrom('1', '2', '3', '4', '5', '6');
const step = fc.oneof(
  fc.record({ put: fc.array(fc.tuple(path, name), { minLength: 1, maxLength: 3 }) }),
  fc.record({ remove: fc.array(path, { minLength: 1, maxLength: 3 }) }),
  fc.constant({ checkpoint: true as const }),
);

describe('the files of a context', () => {
  it('are always those of the checkpoint and the added ones, without the deleted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let set = FileSet.EMPTY;
        const naive = new Map<string, string>();
        /** Names of each checkpoint in the service. */
        const checkpoints: Set<string>[] = [];
        const effective = (): Set<string> => {
          const names = new Set(set.checkpointId === undefined ? [] : checkpoints[Number(set.checkpointId)]);
          for (const one of set.added) names.add(one);
          for (const one of set.deleted) names.delete(one);
          return names;
        };
        for (const one of steps) {
          if ('put' in one) {
            for (const [path, name] of one.put) naive.set(path, name);
            set = set.with(one.put.map(([path, name]) => [path, { name, clientName: name }] as const));
          } else if ('remove' in one) {
            for (const path of one.remove) naive.delete(path);
            set = set.without(one.remove);
          } else {
            const id = String(checkpoints.push(effective()) - 1);
            set = set.at(id);
          }
          assert.deepEqual(new Map(Array.from(set.files, ([path, { name }]) => [path, name])), naive);
          assert.deepEqual([...effective()].sort(), [...new Set(naive.values())].sort());
          assert.ok([...set.added].every((one) => !set.deleted.has(one)));
          const known = set.checkpointId === undefined ? new Set() : checkpoints[Number(set.checkpointId)]!;
          assert.ok([...set.deleted].every((one) => known.has(one)));
        }
      }),
      { numRuns: times(1000) },
    );
  });

  it('make a checkpoint due from 1,000 changes on', () => {
    const files = (count: number): FileSet =>
      FileSet.EMPTY.with(
        Array.from({ length: count }, (_, i) => [`${i}`, { name: `${i}`, clientName: `${i}` }] as const),
      );
    assert.equal(files(999).isCheckpointDue, false);
    const due = files(1000);
    assert.equal(due.isCheckpointDue, true);
    assert.equal(due.at('x').isCheckpointDue, false);
    assert.equal(due.at('x').without(due.files.keys()).isCheckpointDue, true);
  });
});
