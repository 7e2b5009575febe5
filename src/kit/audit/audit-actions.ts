import { Injectable } from '@nestjs/common';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { ApiTexts } from '../server/openapi/api-texts.js';
import { operationIdsOf } from '../server/openapi/operation-ids.js';
import { templateOf } from '../server/openapi/operations.js';

interface NamedAct {
  readonly id: string;
  /** Controller and handler, such as `ApiKeys_remove`: rows of before are sealed with it. */
  readonly earlierName: string;
}

/** What acts are called in the audit log: the operation ids of their routes, as clients know them. */
@Injectable()
export class AuditActions {
  private named: readonly NamedAct[] | undefined;
  /** By method and path. */
  private readonly ids = new Map<string, string>();

  constructor(
    private readonly routes: DeclaredRoutes,
    private readonly texts: ApiTexts,
  ) {}

  of(method: string, path: string): string {
    this.named ??= this.read();
    return this.ids.get(`${method} ${path}`) ?? this.ids.get(`ALL ${path}`) ?? `${method} ${path}`;
  }

  /** As what rows of an action are found, whichever version wrote them. */
  namesOf(action: string): string[] {
    this.named ??= this.read();
    return [action, ...this.named.filter(({ id }) => id === action).map(({ earlierName }) => earlierName)];
  }

  private read(): readonly NamedAct[] {
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
    return [...operationIdsOf(routes, this.texts.operationIds)].map(
      ([{ controller, handler, route }, id]) => {
        this.ids.set(route, id);
        const { name } = controller as { readonly name: string };
        return { id, earlierName: `${name.replace(/Controller$/, '')}_${handler.name}` };
      },
    );
  }
}
