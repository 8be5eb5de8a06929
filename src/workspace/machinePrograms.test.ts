import assert from 'node:assert/strict';
import { freemem } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { isMacOnBattery, isWindowsOnBattery, macFreeMemory, macMachine, windowsMachine } from './machinePrograms.ts';

/** In the format of the manual of pmset. */
const DISCHARGING = `Now drawing from 'Battery Power'
 -InternalBattery-0 (id=4653155)\t62%; discharging; 4:26 remaining present: true
`;
const CHARGING = `Now drawing from 'AC Power'
 -InternalBattery-0 (id=4653155)\t62%; charging; 1:02 remaining present: true
`;
const VM_STAT = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               61241.
Pages active:                            287310.
Pages inactive:                          284002.
Pages speculative:                         2313.
Pages throttled:                              0.
Pages wired down:                        121387.
Pages purgeable:                           5098.
"Translation faults":                 421739184.
`;

describe('A machine with programs that report its state', () => {
  it('is on battery as pmset and Win32_Battery report it', () => {
    assert.equal(isMacOnBattery(DISCHARGING), true);
    assert.equal(isMacOnBattery(CHARGING), false);
    assert.equal(isMacOnBattery("Now drawing from 'AC Power'\n"), false);
    assert.equal(isMacOnBattery(''), false);
    assert.deepEqual(
      ['1\r\n', '2\r\n', '', '4\r\n', '5\r\n', '3\r\n', '2\r\n1\r\n', '11\r\n'].map(isWindowsOnBattery),
      [true, false, false, true, true, false, true, false],
    );
  });

  it('has the memory that vm_stat reports as free or easily given away', () => {
    assert.equal(macFreeMemory(VM_STAT), (61241 + 284002 + 2313) * 16384);
    assert.equal(macFreeMemory(''), undefined);
  });

  it('calls them in the background, and again when their report is old', async () => {
    let time = 0;
    let battery = DISCHARGING;
    const asked: string[] = [];
    const machine = macMachine(
      (file) => {
        asked.push(file);
        return Promise.resolve(file.endsWith('pmset') ? battery : VM_STAT);
      },
      () => time,
    );
    assert.deepEqual([machine.isOnBattery(), machine.freeMemory()], [false, undefined]);
    await setImmediate();
    assert.deepEqual([machine.isOnBattery(), machine.freeMemory()], [true, (61241 + 284002 + 2313) * 16384]);
    assert.deepEqual(asked, ['/usr/bin/pmset', '/usr/bin/vm_stat']);
    battery = CHARGING;
    time = 60_000;
    machine.isOnBattery();
    await setImmediate();
    assert.equal(machine.isOnBattery(), false);
    assert.equal(asked.length, 3);
  });

  it('with Windows and no battery calls one once', async () => {
    let time = 0;
    const asked: string[] = [];
    const machine = windowsMachine(
      { SystemRoot: 'D:\\Win' },
      (file) => {
        asked.push(file);
        return Promise.resolve('\r\n');
      },
      () => time,
    );
    for (; time < 3_600_000; time += 300_000) {
      assert.equal(machine.isOnBattery(), false);
      await setImmediate();
    }
    assert.deepEqual(asked, ['D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe']);
    assert.ok(Math.abs(machine.freeMemory()! - freemem()) < 2 ** 32);
  });
});
