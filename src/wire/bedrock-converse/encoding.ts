// What the parts of the encoder of a Converse request share.

import type { JsonValue } from '../../core/json.ts';
import type { CacheMarker } from '../../core/message.ts';
import type { Losses } from '../loss.ts';
import type { EncodeOptions } from '../wire.ts';
import type { DocumentNames } from './document-name.ts';

/** The context of encoding one request. */
export interface Encoding {
  readonly options: EncodeOptions;
  readonly losses: Losses;
  readonly names: DocumentNames;
  /** Whether the model accepts cache points. Others reject the request. */
  readonly takesCachePoints: boolean;
}

/** Time-to-live values of other wires are dropped; the marker stays. */
export function cachePoint({ ttl }: CacheMarker): JsonValue {
  return { cachePoint: ttl === '5m' || ttl === '1h' ? { type: 'default', ttl } : { type: 'default' } };
}

const longestId = 64;

/** Other vendors' ids may contain characters that the API rejects. Call and result are mapped in the same way. */
export function encodeId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(-longestId);
}
