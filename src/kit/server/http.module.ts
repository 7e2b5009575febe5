import { APP_FILTER, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { BodyGuard } from './body.guard.js';
import { CsvAnswers } from './csv-answers.js';
import { CsvForms } from '../http/csv/csv-rows.js';
import { ReceiptPreferenceGuard } from './receipt-preference.guard.js';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { NearRoutes } from '../http/near-routes.js';
import { CarriedReceipts, NoReceipts } from '../http/receipts/carried-receipt.js';
import { port } from '../module/extension-point.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { ApiExceptionFilter } from './exception.filter.js';
import { HttpRequests } from './http-requests.js';
import { PreparedDocuments } from './prepared-documents.js';
import { BodyCostGuard, RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { InFlight } from '../turns/in-flight.js';
import { Readiness } from './readiness.js';
import { CompiledValidationPipe } from '../http/validation/compiled-validation.pipe.js';
import { ValidationCheck } from '../http/validation/validation-check.js';

/**
 * The base of every route. The guards are only provided here: the application decides their order, since the credential
 * guard belongs to a floor above.
 */
@TradepostModule({
  name: 'http',
  extensionPoints: [port(CarriedReceipts, NoReceipts)],
  imports: [DiscoveryModule],
  providers: [
    DeclaredRoutes,
    NearRoutes,
    ValidationCheck,
    Readiness,
    RateLimits,
    InFlight,
    RateLimitGuard,
    BodyGuard,
    BodyCostGuard,
    PreparedDocuments,
    HttpRequests,
    ReceiptPreferenceGuard,
    { provide: CsvForms, useClass: CsvAnswers },
    { provide: APP_FILTER, useClass: ApiExceptionFilter },
    { provide: APP_PIPE, useClass: CompiledValidationPipe },
  ],
  exports: [
    DeclaredRoutes,
    NearRoutes,
    Readiness,
    RateLimits,
    InFlight,
    RateLimitGuard,
    BodyGuard,
    BodyCostGuard,
    ReceiptPreferenceGuard,
    CsvForms,
    PreparedDocuments,
    HttpRequests,
  ],
})
export class HttpModule {}
