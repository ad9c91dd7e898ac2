// Exports traces of calls to an OpenTelemetry collector over OTLP. Registers the global tracer provider that
// `gateway/observe/telemetry.ts` uses. The packages are optional: the user installs them, and they are loaded only when an
// endpoint is configured.

import { SimpleAgentsError } from '../../core/error.ts';
import { version } from '../../core/version.ts';

export interface Tracing {
  /** Sends the remaining spans. */
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
      // An unreachable collector must not stop the server from closing.
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
