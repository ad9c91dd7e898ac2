// The MCP servers inside the host's program. Their messages are control requests of the type `mcp_message`, in both
// directions.

import { SimpleAgentsError } from '../../../core/error.ts';
import type { McpRelay } from '../../../mcp/relay-transport.ts';
import type { ControlPeer } from '../../../streamjson/control.ts';
import { recordOf } from '../../../streamjson/line.ts';

export class HostServers {
  readonly #peer: ControlPeer;
  readonly #relays = new Map<string, McpRelay>();

  constructor(peer: ControlPeer) {
    this.#peer = peer;
  }

  get relays(): Readonly<Record<string, McpRelay>> {
    return Object.fromEntries(this.#relays);
  }

  /** The names as `initialize` lists them. */
  register(names: unknown): void {
    if (names === undefined || names === null) return;
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && name !== '')) {
      const problem = 'sdkMcpServers: must be a list of names';
      throw new SimpleAgentsError('bad-request', problem, { field: 'sdkMcpServers' });
    }
    for (const name of names as string[]) this.#relays.set(name, this.#createRelay(name));
  }

  /** A message that the server sends by itself. */
  deliver(name: unknown, message: unknown): void {
    const relay = typeof name === 'string' ? this.#relays.get(name) : undefined;
    if (relay === undefined) {
      const problem = `server_name: there is no server ${JSON.stringify(name)}; name it in initialize.sdkMcpServers`;
      throw new SimpleAgentsError('bad-request', problem, { field: 'server_name' });
    }
    relay.onMessage?.(recordOf(message));
  }

  #createRelay(name: string): McpRelay {
    return {
      send: async (message, signal) => {
        const outcome = await this.#peer.request({ subtype: 'mcp_message', server_name: name, message }, signal);
        if (outcome.kind === 'success') return outcome.response['mcp_response'];
        throw new Error(outcome.kind === 'error' ? outcome.message : 'the host closed the connection');
      },
    };
  }
}
