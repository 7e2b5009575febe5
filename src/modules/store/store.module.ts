import { PetsModule } from '../pets/pets.module.js';
import { PurchaseOrderEntity } from './purchase-order.entity.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';
import { StoreController } from './store.controller.js';
import { AdminStoreOrdersController } from './admin-store-orders.controller.js';
import { StorePersonalData } from './store-personal-data.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { STORE_WRITE } from './scopes.js';
import { UNIQUE_PETS } from './unique-pets.js';

@TradepostModule({
  name: 'store',
  settings: [UNIQUE_PETS],
  scopes: [STORE_WRITE],
  personalData: [StorePersonalData],
  entities: [PurchaseOrderEntity],
  imports: [PetsModule],
  controllers: [StoreController, AdminStoreOrdersController],
  providers: [PurchaseOrdersService],
})
export class StoreModule {}
