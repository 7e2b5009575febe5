import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

declare global {
  // Express' types can only be added to where they are declared, in this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** What the answer of the route becomes before it goes out. */
      completeAnswer?: (answer: object) => Promise<object>;
    }
  }
}

/** Express, with answers that may be completed on their way out. */
export class AnsweringAdapter extends ExpressAdapter {
  /** Nest awaits what this returns. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const { completeAnswer } = response.req;
    if (completeAnswer === undefined) return super.reply(response, body, statusCode);
    return completeAnswer(body as object).then((whole): unknown => super.reply(response, whole, statusCode));
  }
}
