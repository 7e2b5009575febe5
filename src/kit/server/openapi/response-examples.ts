import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiTexts } from './api-texts.js';
import { operationsOf } from './operations.js';

/** Gives every JSON answer of the service's own operations one example, which its tests have recorded. */
export function addResponseExamples(document: OpenAPIObject, answers: ApiTexts['answers']): void {
  for (const { path, method, operation } of operationsOf(document)) {
    const examples = answers[`${method.toUpperCase()} ${path}`] ?? {};
    for (const [status, example] of Object.entries(examples)) {
      const response = operation.responses[status];
      const media = response && 'content' in response ? response.content?.['application/json'] : undefined;
      if (media !== undefined) media.example = example;
    }
  }
}
