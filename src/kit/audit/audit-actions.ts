import { Injectable } from '@nestjs/common';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { ApiTexts } from '../server/openapi/api-texts.js';
import { operationIdsOf } from '../server/openapi/operation-ids.js';
import { templateOf } from '../server/openapi/operations.js';

/** What acts are called in the audit log: the operation ids of their routes, as clients know them. */
@Injectable()
export class AuditActions {
  /** By method and path. */
  private ids: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly routes: DeclaredRoutes,
    private readonly texts: ApiTexts,
  ) {}

  of(method: string, path: string): string {
    const ids = (this.ids ??= this.read());
    return ids.get(`${method} ${path}`) ?? ids.get(`ALL ${path}`) ?? `${method} ${path}`;
  }

  /** As what rows of an action are found, whichever version wrote them. */
  namesOf(action: string): string[] {
    const { formerActions } = this.texts;
    return [action, ...(Object.hasOwn(formerActions, action) ? [formerActions[action]!].flat() : [])];
  }

  private read(): ReadonlyMap<string, string> {
    const routes = this.routes.all().flatMap(({ controller, handler, method, paths }) =>
      paths.map((path) => ({
        controller,
        handler,
        method: method.toLowerCase(),
        path: templateOf(path),
        // Pages are read: no act is among them.
        answersPage: false,
        route: `${method} ${path}`,
      })),
    );
    return new Map(
      [...operationIdsOf(routes, this.texts.operationIds)].map(([{ route }, id]) => [route, id]),
    );
  }
}
