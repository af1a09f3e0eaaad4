export {
  type FilesClient,
  type GoogleFiles,
  type GoogleFilesOptions,
  type OfferedFile,
  openGoogleFiles,
  type UploadedFile,
  type UploadRecord,
} from "./google-files.js";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedOptions,
  scriptedModel,
} from "./scripted.js";
