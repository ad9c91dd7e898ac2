// JavaScript libraries that repair syntax and do not use a schema.

import { syntaxPeer, type PeerLoader } from './peer.ts';

export const loadJsonrepair: PeerLoader = async () => {
  const { jsonrepair } = await import('jsonrepair');
  return syntaxPeer('jsonrepair', (text) => JSON.parse(jsonrepair(text)) as unknown);
};

export const loadPartialJson: PeerLoader = async () => {
  const { parse, Allow } = await import('partial-json');
  return syntaxPeer('partial-json', (text) => parse(text, Allow.ALL) as unknown);
};

export const loadBestEffort: PeerLoader = async () => {
  const { parse, disableErrorLogging } = await import('best-effort-json-parser');
  disableErrorLogging();
  // Suppresses the output of text after the value.
  parse.onExtraToken = () => undefined;
  return syntaxPeer('best-effort-json-parser', (text) => parse(text) as unknown);
};
