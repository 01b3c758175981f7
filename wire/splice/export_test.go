package splice

// ManyChildren is for tests of the package from outside, which may import openrtb.
const ManyChildren = manyChildren
