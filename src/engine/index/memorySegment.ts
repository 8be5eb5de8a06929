import type { DocumentId } from '../documentId.ts';
import { SegmentBuilder } from './segmentBuilder.ts';
import { describeSegment } from './segmentEnd.ts';
import { SegmentReader } from './segmentReader.ts';
import { memoryFile, removeIfFreeSync } from './segmentStorage.ts';
import { writeSegment } from './segmentWriter.ts';
import { Segment } from './snapshot.ts';

/** A text that is not in a file of the index. `text` is UTF-8. */
export interface MemoryDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly text: Uint8Array;
}

/** A segment in memory only, freed when its reader is closed. */
export class MemorySegment extends Segment {
  constructor(documents: readonly MemoryDocument[]) {
    const file = memoryFile();
    const builder = new SegmentBuilder();
    for (const { id, path, text } of documents) builder.add({ id: Buffer.from(id, 'hex'), path, text });
    writeSegment(file, (writer) => builder.write(writer));
    super({ segment: 0, ...describeSegment(file) }, new SegmentReader(file), undefined);
    removeIfFreeSync(file);
  }
}
