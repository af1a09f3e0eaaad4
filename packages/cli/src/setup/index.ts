export { changeFile } from "./change-file.js";
export {
  adviceFor,
  type ClientName,
  clientNames,
  guardedClients,
  removalsFor,
  type Setting,
  type SetupWishes,
  settingsFor,
  sharedClients,
} from "./clients.js";
