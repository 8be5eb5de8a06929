import assert from 'node:assert/strict';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { linuxMachine } from './machine.ts';

describe('a machine with Linux', () => {
  const folder = temporaryFolder();

  function withSupplies(supplies: Record<string, Record<string, string>>): boolean {
    const root = folder();
    for (const [name, files] of Object.entries(supplies)) {
      for (const [file, text] of Object.entries(files)) {
        writeFiles(root, { [`sys/class/power_supply/${name}/${file}`]: `${text}\n` });
      }
    }
    return linuxMachine(root).isOnBattery();
  }

  it('detects whether a laptop is plugged in', () => {
    const battery = { type: 'Battery', status: 'Discharging' };
    assert.equal(withSupplies({ AC: { type: 'Mains', online: '0' }, BAT0: battery }), true);
    assert.equal(withSupplies({ AC: { type: 'Mains', online: '1' }, BAT0: battery }), false);
    assert.equal(withSupplies({ BAT0: battery }), true);
    assert.equal(withSupplies({ BAT0: { type: 'Battery', status: 'Full' } }), false);
    assert.equal(withSupplies({ mouse: { ...battery, scope: 'Device' } }), false);
    assert.equal(withSupplies({}), false);
  });

  it('reports the available memory', () => {
    const root = folder();
    writeFiles(root, { 'proc/meminfo': 'MemTotal: 100 kB\nMemFree: 2 kB\nMemAvailable:     40 kB\n' });
    assert.equal(linuxMachine(root).freeMemory(), 40_960);
  });
});
