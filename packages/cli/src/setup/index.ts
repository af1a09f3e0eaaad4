export { type ChangedSettings, changeSettings } from "./change-settings.js";
export {
  type ClientName,
  clientNames,
  guardedClients,
  type Setting,
  type SetupWishes,
  settingsFor,
} from "./clients.js";
