// Traces of calls to an OpenTelemetry collector, over OTLP. Sets up what `gateway/telemetry.ts` looks for; the packages
// are the user's to install, and are loaded only when an endpoint is configured. The one file that uses the exporter.

import { SimpleAgentsError } from '../../core/error.ts';
import { version } from '../../core/version.ts';

export interface Tracing {
  /** Sends what is left and ends. */
  close(): Promise<void>;
}

export async function startTracing(endpoint: string): Promise<Tracing> {
  const { api, sdk, exporter, resources } = await loadPackages();
  const resource = resources.resourceFromAttributes({
    'service.name': 'simple-agents-gateway',
    'service.version': version,
  });
  const processor = new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter({ url: endpoint }) });
  const provider = new sdk.TracerProvider({ resource, spanProcessors: [processor] });
  api.trace.setGlobalTracerProvider(provider);
  return {
    async close() {
      api.trace.disable();
      // A collector that is gone must not keep the server.
      await provider.shutdown().catch(() => undefined);
    },
  };
}

async function loadPackages() {
  try {
    const [api, sdk, exporter, resources] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    return { api, sdk, exporter, resources };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new SimpleAgentsError(
      'configuration',
      'otlp_endpoint needs packages that are not installed: npm install @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources',
      { field: 'otlp_endpoint', cause: error },
    );
  }
}
