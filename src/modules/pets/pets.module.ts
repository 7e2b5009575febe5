import * as ERROR_CODES from './errors.js';
import { FileStore } from '../../kit/files/file-store.js';
import { ImageFiles } from '../../kit/files/images/image-files.js';
import { ImagesModule } from '../../kit/files/images/images.module.js';
import { PetImagesController } from './images/pet-images.controller.js';
import { PetImagesService } from './images/pet-images.service.js';
import { PetEntity, PetPhotoEntity, PetTagLinkEntity } from './pet.entity.js';
import { PetCategoryEntity, PetTagEntity } from './pet-label.entity.js';
import { PetReader } from './pet-reader.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { READ_PETS, WRITE_PETS } from './scopes.js';
import { PetsDemo } from './pets-demo.js';

/** The Pets group: the Petstore's pets with their images. */
@TradepostModule({
  name: 'pets',
  errorCodes: Object.values(ERROR_CODES),
  demoData: [PetsDemo],
  scopes: [READ_PETS, WRITE_PETS],
  entities: [PetEntity, PetCategoryEntity, PetTagEntity, PetTagLinkEntity, PetPhotoEntity],
  imports: [ImagesModule],
  controllers: [PetsController, PetImagesController],
  providers: [
    PetsService,
    PetReader,
    PetImagesService,
    {
      provide: ImageFiles,
      useFactory: (files: FileStore) => new ImageFiles(files, 'pets'),
      inject: [FileStore],
    },
  ],
  exports: [PetsService],
})
export class PetsModule {}
