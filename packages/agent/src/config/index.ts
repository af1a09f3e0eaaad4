export { type ApprovalMode, type ApprovalRule, approvalModes } from "./approval.js";
export { type CheckedSettings, checkText, checkValue, type SettingsProblem } from "./check-settings.js";
export { jsonFault } from "./json-fault.js";
export { settingsPath } from "./keys.js";
export { type ReadSettings, readSettings, settingsLimitBytes } from "./read-settings.js";
export { type ReferenceRow, settingsReference } from "./reference.js";
export {
  checkFile,
  type IgnoredKey,
  projectFile,
  projectSettingsPath,
  type ResolvedSettings,
  resolveSettings,
  type SettingsFile,
  type SettingsSources,
  userFile,
  userSettingsPath,
  whatWidens,
} from "./resolve.js";
export { type AgentSettings, defaultSettings, settingsJsonSchema, settingsSchema } from "./schema.js";
export { type TrustClass, trustClasses, trustClassOf } from "./trust-classes.js";
export { TrustedFolders } from "./trusted-folders.js";
export { type SettingsVariable, settingsVariables, unknownVariables } from "./variables.js";
