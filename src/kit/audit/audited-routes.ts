import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/internal';
import type { Application, Request } from 'express';
import type { Observable } from 'rxjs';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { auditOf } from './audited.js';

/** One interceptor for each app of the process: apps share the handler objects and their metadata. */
const interceptors = new WeakMap<object, AuditInterceptor>();

const ofTheApp: NestInterceptor = {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { app } = context.switchToHttp().getRequest<Request>();
    const interceptor = interceptors.get(app);
    if (interceptor === undefined) throw new Error('This app audits nothing: AuditedRoutes was left out.');
    return interceptor.intercept(context, next);
  },
};

/**
 * Wraps every audited route, including those of plugins, in the audit interceptor. A global interceptor would do the
 * same, but would slow down every other request too, orders included.
 */
@Injectable()
export class AuditedRoutes {
  constructor(
    private readonly routes: DeclaredRoutes,
    private readonly interceptor: AuditInterceptor,
  ) {}

  /** To be called before the routes are registered with the app, and so before `init()`. */
  intercept(app: Application): void {
    interceptors.set(app, this.interceptor);
    for (const { method, paths, handler } of this.routes.all()) {
      if (paths.every((path) => auditOf(method, path, handler) === 'never')) continue;
      const present = (Reflect.getMetadata(INTERCEPTORS_METADATA, handler) ?? []) as unknown[];
      if (present.includes(ofTheApp)) continue;
      Reflect.defineMetadata(INTERCEPTORS_METADATA, [ofTheApp, ...present], handler);
    }
  }
}
