import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, type DescribedOperation, type Operation } from './operations.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

/** What llms.txt (https://llmstxt.org) has of the API: each operation in a line, with a link to where it can be tried. */
export function llmsText(document: OpenAPIObject): string {
  return pageOf(document, ({ method, path, operation }) => {
    const { tags: [tag = ''] = [], operationId = '', summary = '' } = operation;
    return `- [${summary}](/docs#/${tag}/${operationId}): \`${method.toUpperCase()} ${path}\`\n`;
  });
}

/** The same with all that the document says of each operation in words, and an example of what is sent. */
export function llmsFullText(
  document: OpenAPIObject,
  errorMeanings: Readonly<Record<string, string>>,
): string {
  const operations = pageOf(document, (each) => inFull(each, document.components ?? {}));
  const errors = Object.entries(errorMeanings).map(([code, meaning]) => `- \`${code}\`: ${meaning}\n`);
  return `${operations}\n## Error codes\n\n${errors.join('')}`;
}

function pageOf(document: OpenAPIObject, show: (operation: DescribedOperation) => string): string {
  const [first = '', ...others] = (document.info.description ?? '').split('\n\n');
  const groups = (document.tags ?? []).map(({ name, description = '' }) => {
    const operations = operationsOf(document).filter(({ operation }) => operation.tags?.includes(name));
    return `## ${name}\n\n${description}\n\n${operations.map(show).join('')}`;
  });
  const documents = [
    '- [OpenAPI 3.1](/openapi.json): the whole; `?audience=public`, `trading` or `operator` for a part\n',
    '- [OpenAPI 3.0](/docs/openapi.json): the same for older tools\n',
    '- [AsyncAPI](/asyncapi.json): sockets and event streams\n',
    '- [Errors](/docs/errors): every code, and what to do\n',
    '- [In full](/llms-full.txt): this page with parameters, examples and failures\n',
  ];
  return [
    `# ${document.info.title}\n`,
    `> ${first.replaceAll('\n', ' ')}\n`,
    `${others.join('\n\n')}\n`,
    `## Documents\n\n${documents.join('')}`,
    ...groups,
  ].join('\n');
}

function inFull({ method, path, operation }: DescribedOperation, components: Components): string {
  const { summary = '', description, parameters = [], requestBody, responses, security = [] } = operation;
  const schemes = [...new Set(security.flatMap(Object.keys))].join(', ');
  const lines = [
    ...(description === undefined ? [] : [description, '']),
    `- Credentials: ${schemes === '' ? 'none' : schemes}`,
    ...parameters.map((parameter) => parameterLine(resolved(parameter, components.parameters))),
    ...exampleLines(requestBody),
    ...Object.entries(responses).flatMap(([status, response]) => {
      const text = response && resolved(response, components.responses).description;
      return text === undefined ? [] : [`- ${status}: ${text}`];
    }),
  ];
  return `### ${method.toUpperCase()} ${path}\n\n${summary}.\n\n${lines.join('\n')}\n\n`;
}

function parameterLine({ name, in: place, required = false, description = '' }: Parameter): string {
  return `- \`${name}\` (${place}${required ? ', required' : ''}) ${description}`.trimEnd();
}

function exampleLines(body: Operation['requestBody']): string[] {
  if (body === undefined || '$ref' in body) return [];
  return Object.entries(body.content).flatMap(([type, { example, examples = {} }]) => {
    const [first] = Object.values(examples);
    const shown: unknown = example ?? (first && 'value' in first ? first.value : undefined);
    return shown === undefined
      ? [`- Body: \`${type}\``]
      : [`- Body (\`${type}\`): \`${JSON.stringify(shown)}\``];
  });
}

/** A part, or what it refers to among the components of its kind. */
function resolved<T extends object>(part: T | { $ref: string }, among: Record<string, unknown> = {}): T {
  if (!('$ref' in part)) return part;
  return among[part.$ref.slice(part.$ref.lastIndexOf('/') + 1)] as T;
}
