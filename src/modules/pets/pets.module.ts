import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PetEntity, PetPhotoEntity, PetTagLinkEntity } from './pet.entity.js';
import { PetCategoryEntity, PetTagEntity } from './pet-label.entity.js';
import { PetsService } from './pets.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([PetEntity, PetCategoryEntity, PetTagEntity, PetTagLinkEntity, PetPhotoEntity]),
  ],
  providers: [PetsService],
  exports: [PetsService],
})
export class PetsModule {}
