export { checkSettings, showPaths } from "./check.js";
export { getSetting, listSettings, settingLines } from "./list.js";
export { setSetting, unsetSetting } from "./set.js";
export { printObject, problemLine, sourcesOf } from "./sources.js";
export { trustFolder, untrustFolder } from "./trust.js";
