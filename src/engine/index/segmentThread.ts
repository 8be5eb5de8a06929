import { serve } from '../../base/rpc.ts';
import { parentChannel } from '../../base/worker.ts';
import { SegmentBuilder } from './segmentBuilder.ts';
import type { SegmentThreadMethods } from './segmentThreads.ts';
import { writeSegment } from './segmentWriter.ts';

/* Entry of a thread that analyses documents and writes them as segments. */

const builder = new SegmentBuilder();

function write(file: string): boolean {
  if (builder.documents === 0) return false;
  try {
    writeSegment(file, (writer) => builder.write(writer));
  } finally {
    builder.clear();
  }
  return true;
}

serve<SegmentThreadMethods, object>(parentChannel(), {
  add({ text, documents, file }) {
    for (const { id, path, start, end } of documents) {
      builder.add({ id: Buffer.from(id, 'hex'), path, text: new Uint8Array(text, start, end - start) });
    }
    return builder.isFull && write(file);
  },
  write,
  drop: () => builder.clear(),
});
