// The sources that Google found for a text, as URL citations in OpenAI's form. Google counts bytes of UTF-8, OpenAI counts
// characters.

import { isRecord, type JsonObject } from '../../core/json.ts';

interface GroundingSegment {
  readonly startIndex?: number;
  readonly endIndex?: number;
  readonly text?: string;
}

interface GroundingSupport {
  readonly segment?: GroundingSegment;
  readonly groundingChunkIndices?: readonly number[];
}

interface GroundingSource {
  readonly uri?: string;
  readonly title?: string;
}

/** `groundingMetadata` of a candidate. */
export interface GroundingMetadata {
  readonly groundingChunks?: readonly { readonly web?: GroundingSource; readonly retrievedContext?: GroundingSource }[];
  readonly groundingSupports?: readonly GroundingSupport[];
}

/** A limit on the work, because the metadata comes from outside. */
const mostSupports = 1000;

/** `undefined` if no source belongs to a part of the text. */
export function toCitations(metadata: GroundingMetadata | undefined, text: string): JsonObject[] | undefined {
  const { groundingChunks: chunks, groundingSupports: supports } = metadata ?? {};
  if (!Array.isArray(chunks) || !Array.isArray(supports)) return undefined;
  const characterAt = countCharacters(text);
  const citations = (supports as readonly GroundingSupport[]).slice(0, mostSupports).flatMap((support) => {
    const { segment, groundingChunkIndices: indices } = isRecord(support) ? support : {};
    const range = rangeOf(isRecord(segment) ? segment : {}, text, characterAt);
    return range !== undefined && Array.isArray(indices)
      ? indices.flatMap((index) => toCitation(chunks[Number(index)], range))
      : [];
  });
  return citations.length === 0 ? undefined : citations;
}

type Range = readonly [start: number, end: number];

/** None for a source without an address. */
function toCitation(chunk: unknown, [start, end]: Range): JsonObject[] {
  const { web, retrievedContext } = isRecord(chunk) ? chunk : {};
  const { uri, title = '' } = (web ?? retrievedContext ?? {}) as GroundingSource;
  if (typeof uri !== 'string' || typeof title !== 'string') return [];
  return [{ type: 'url_citation', url: uri, title, start_index: start, end_index: end }];
}

/** The words of a segment decide if its indices are those of another part. None if the text does not contain them. */
function rangeOf(
  { startIndex = 0, endIndex = 0, text: words }: GroundingSegment,
  text: string,
  characterAt: (byte: number) => number,
): Range | undefined {
  const range = [characterAt(startIndex), characterAt(endIndex)] as const;
  if (typeof words !== 'string' || words === '' || text.slice(...range) === words) return range;
  const start = text.indexOf(words);
  return start === -1 ? undefined : [start, start + words.length];
}

/** Returns the index of the character (a UTF-16 unit) that a byte of the text belongs to. */
function countCharacters(text: string): (byte: number) => number {
  const ends: number[] = [];
  let characters = 0;
  for (const character of text) {
    for (let byte = utf8Size(character.codePointAt(0) ?? 0); byte > 0; byte--) ends.push(characters);
    characters += character.length;
  }
  return (byte) => ends[byte] ?? characters;
}

function utf8Size(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}
