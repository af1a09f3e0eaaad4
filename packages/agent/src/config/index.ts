export { type ApprovalMode, type ApprovalRule, approvalModes } from "./approval.js";
