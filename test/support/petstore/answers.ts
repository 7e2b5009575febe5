import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { OPERATIONS, type PetstoreVersion } from './facts.js';

/** Whether an answer matches the document, or how it differs. */
export type Verdict =
  | 'as declared'
  | 'status only under default'
  | 'status not declared'
  | `invalid: ${string}`;

/** Judges answers by the schemas that a version's document declares for them. */
export function answerChecker(
  version: PetstoreVersion,
  document: object,
): (operationId: string, status: number, body: unknown) => Verdict {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'petstore');
  return (operationId, status, body) => {
    const { path, method, [version]: facts } = OPERATIONS.find((each) => each.operationId === operationId)!;
    const { answers } = facts!;
    const declared = String(status) in answers ? String(status) : 'default';
    if (!(declared in answers)) return 'status not declared';
    if (answers[declared] !== null) {
      const place = ['paths', path, method, 'responses', declared].map(pointerPart).join('/');
      const schema = version === 'v2' ? 'schema' : 'content/application~1json/schema';
      if (!ajv.validate({ $ref: `petstore#/${place}/${schema}` }, body))
        return `invalid: ${ajv.errorsText()}`;
    }
    // The second version declares a success as `default`, the third every unexpected failure.
    return declared === 'default' && version === 'v3' ? 'status only under default' : 'as declared';
  };
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
