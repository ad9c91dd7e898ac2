// `GET` and `POST /api/simulation`: the simulated targets of a gateway without providers, and the fault of each. Only
// programs and the gateway's own page may switch a fault, not the pages of `cors_origins`.

import type { JsonObject } from '../../core/json.ts';
import { JsonField } from '../../wire/json-field.ts';
import { refuseOtherOrigins } from '../http/admission.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { Simulation } from '../options.ts';
import type { HttpRoute } from './http-route.ts';

const path = '/api/simulation';

export const simulation: HttpRoute = {
  method: 'GET',
  path,
  access: 'call',
  async handle(exchange, state) {
    exchange.sendJson(200, await describe(state.simulation()));
  },
};

export const simulationFault: HttpRoute = {
  method: 'POST',
  path,
  access: 'call',
  isLocal: true,
  async handle(exchange, state) {
    refuseOtherOrigins(exchange);
    const simulated = state.simulation();
    if (simulated === undefined) throwHttpError(404, 'this gateway has no simulated targets', { kind: 'not-found' });
    const body = new JsonField(await exchange.readJson(state.settings));
    await simulated.setFault(body.get('target').string(), body.get('fault').json());
    exchange.sendJson(200, await describe(simulated));
  },
};

async function describe(simulated: Simulation | undefined): Promise<JsonObject> {
  const targets = (await simulated?.targets()) ?? [];
  return {
    model: simulated?.model ?? null,
    targets: targets.map(({ name, fault }) => ({ name, fault: fault as JsonObject })),
  };
}
