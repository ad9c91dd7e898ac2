// The translation of each version of ACP. A client names the version that it wants; the agent answers with that version if
// it has a codec for it, and otherwise with its newest.

import { toPromptOutcome } from './prompt-outcome.ts';
import { acpToStreamJson, streamJsonToAcp, toolResultToStreamJson } from './translate.ts';
import { UpdateEncoder, type UpdateEncoderOptions } from './update-encoder.ts';

export interface AcpCodec {
  readonly version: number;
  readonly acpToStreamJson: typeof acpToStreamJson;
  readonly streamJsonToAcp: typeof streamJsonToAcp;
  readonly toolResultToStreamJson: typeof toolResultToStreamJson;
  readonly toPromptOutcome: typeof toPromptOutcome;
  readonly createUpdateEncoder: (options: UpdateEncoderOptions) => UpdateEncoder;
}

const version1: AcpCodec = {
  version: 1,
  acpToStreamJson,
  streamJsonToAcp,
  toolResultToStreamJson,
  toPromptOutcome,
  createUpdateEncoder: (options) => new UpdateEncoder(options),
};

const codecs: ReadonlyMap<unknown, AcpCodec> = new Map([[1, version1]]);
const newest = version1;

export function codecFor(protocolVersion: unknown): AcpCodec {
  return codecs.get(protocolVersion) ?? newest;
}
