"""What belongs to connections: conversion of units, power bonds, and the members of vectors and ports."""
