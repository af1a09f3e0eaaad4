/** @holdfast/google-files: files at Google's File API, by their content. */
export { type GoogleFilesOptions, openGoogleFiles } from "./google-files.js";
