import { baseUrl, oneOf, type Reader, text } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';

/** Where traces go, by the names that OpenTelemetry has for it. */
export interface TracingConfig {
  /** Without the path of a signal. */
  readonly endpoint: string;
  /** `name=value`, separated by commas. May contain a secret: never log it. */
  readonly headers: string | undefined;
  readonly serviceName: string;
  /** As `headers`. */
  readonly resourceAttributes: string | undefined;
  readonly sampler: (typeof SAMPLERS)[number];
  readonly samplerRatio: number;
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const keyPairs = text('a list such as name=value,other=value', /^[^=,\s]+=[^,]*(?:,\s*[^=,\s]+=[^,]*)*$/);

const ratio: Reader<number> = {
  expects: 'a number from 0 to 1, such as 0.05',
  parse: (value) => (/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) ? Number(value) : undefined),
};

export const tracingSettings = {
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    baseUrl('http', 'https'),
    'no traces',
    'Where traces are sent by OTLP over HTTP as JSON, such as http://127.0.0.1:4318; /v1/traces is added.',
  ),
  otlpHeaders: optional(
    'OTEL_EXPORTER_OTLP_HEADERS',
    keyPairs,
    'none',
    'Headers for that, such as a token, as name=value, separated by commas.',
  ),
  serviceName: setting(
    'OTEL_SERVICE_NAME',
    text('1 to 255 characters', /^[^\p{Cc}]{1,255}$/u),
    'tradepost',
    'The name of the service in traces.',
  ),
  resourceAttributes: optional(
    'OTEL_RESOURCE_ATTRIBUTES',
    keyPairs,
    'none',
    'What else traces say of this process, such as deployment.environment=staging.',
  ),
  sampler: setting(
    'OTEL_TRACES_SAMPLER',
    oneOf(...SAMPLERS),
    'parentbased_always_on',
    'Which traces are exported: always_on, always_off or traceidratio; parentbased_ before it follows the caller where there is one.',
  ),
  samplerRatio: setting('OTEL_TRACES_SAMPLER_ARG', ratio, '1', 'The share of traces for traceidratio.'),
};

export function readTracingConfig(read: ReadSetting): { readonly tracing: TracingConfig | undefined } {
  const values = {
    headers: read(tracingSettings.otlpHeaders),
    serviceName: read(tracingSettings.serviceName),
    resourceAttributes: read(tracingSettings.resourceAttributes),
    sampler: read(tracingSettings.sampler),
    samplerRatio: read(tracingSettings.samplerRatio),
  };
  const endpoint = read(tracingSettings.otlpEndpoint);
  return { tracing: endpoint === undefined ? undefined : { endpoint, ...values } };
}
