/** A plugin with one route, as a JavaScript project has it, without a compiler for decorators. */
export const HELLO_PLUGIN = `
import { Controller, Get } from '@nestjs/common';
import { CoreService, Public, TradepostPlugin } from 'tradepost';

class HelloController {
  constructor(core) {
    this.core = core;
  }
  hello() {
    return { hello: 'plugin', markets: this.core.markets().length };
  }
}
Get()(HelloController.prototype, 'hello', Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'));
Reflect.defineMetadata('design:paramtypes', [CoreService], HelloController);
Public()(HelloController);
Controller('acme/hello')(HelloController);

export default class HelloPlugin {}
TradepostPlugin({ name: 'acme-hello', compatibility: '^0.1.0', controllers: [HelloController] })(HelloPlugin);
`;
