export { changeFile, holdsNothing } from "./change-file.js";
export {
  adviceFor,
  adviceOnRemoval,
  type ClientName,
  clientNames,
  guardedClients,
  movedHomes,
  removalsFor,
  type Setting,
  type SetupWishes,
  settingsFor,
  sharedClients,
} from "./clients.js";
export { isObject } from "./wanted-value.js";
